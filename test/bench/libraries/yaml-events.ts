import type { Builder, Built } from '../../../src/agent/text/yaml/builder.ts';
import type { Properties } from '../../../src/agent/text/yaml/node-maker.ts';
import { YamlSyntaxError } from '../../../src/agent/text/yaml/scan/syntax-error.ts';

/** One of js-yaml's events: 1 a document, 2 a sequence, 3 a mapping, 4 a scalar, 5 an alias, 6 the end of one. */
interface YamlEvent {
  readonly type: number;
  readonly start: number;
  readonly valueStart: number;
  readonly anchorStart: number;
  readonly anchorEnd: number;
  readonly tagStart: number;
  readonly tagEnd: number;
  /** Of a scalar: 1 is plain. */
  readonly style: number;
  readonly directives: readonly { kind: string; handle: string; prefix: string }[];
}

/** What is used of js-yaml 5, which is no dependency of the project. */
export interface JsYaml {
  parseEvents(text: string, options: { maxDepth?: number }): YamlEvent[];
  getScalarValue(text: string, scalar: YamlEvent): string;
}

/** Hands js-yaml's events to our builder, which gives scalars their meaning in YAML 1.1; undefined for no document. */
export function nodeOfEvents(library: JsYaml, text: string, builder: Builder): Built | undefined {
  const [document, ...events] = library.parseEvents(text, { maxDepth: 128 });
  if (document === undefined) return undefined;
  if (events.some(({ type }) => type === 1)) throw new YamlSyntaxError('There are several documents.', 0);
  const handles = new Map(document.directives.map(({ handle, prefix }) => [handle, prefix]));
  let index = 0;
  const take = (): YamlEvent => {
    const event = events[index];
    if (event === undefined) throw new YamlSyntaxError('The YAML ends too early.', 0);
    index += 1;
    return event;
  };
  const ends = (): boolean => events[index]?.type === 6 && take() !== undefined;
  const node = (): Built => {
    const event = take();
    if (event.type === 5)
      return builder.alias(text.slice(event.anchorStart, event.anchorEnd), event.anchorStart);
    const properties = propertiesOf(event, text, handles);
    return builder.node(properties, () => {
      if (event.type === 4) {
        if (event.valueStart < 0) return builder.empty(properties, 0);
        return builder.scalar(
          properties,
          library.getScalarValue(text, event),
          event.style === 1,
          event.valueStart,
        );
      }
      if (event.type === 2) {
        const sequence = builder.sequence(properties, event.start);
        while (!ends()) sequence.add(node());
        return sequence.done();
      }
      const mapping = builder.mapping(properties, event.start);
      while (!ends()) mapping.add(node(), node());
      return mapping.done();
    });
  };
  return node();
}

function propertiesOf(event: YamlEvent, text: string, handles: ReadonlyMap<string, string>): Properties {
  const properties: Properties = {};
  if (event.anchorStart >= 0)
    properties.anchor = {
      kind: 'anchor',
      name: text.slice(event.anchorStart, event.anchorEnd),
      at: event.anchorStart,
    };
  if (event.tagStart >= 0) {
    const tag = text.slice(event.tagStart, event.tagEnd);
    const handle = /^!(?:[\w-]*!)?/.exec(tag)?.[0] ?? '!';
    const prefix = handles.get(handle) ?? (handle === '!!' ? 'tag:yaml.org,2002:' : handle);
    properties.tag = tag.startsWith('!<')
      ? tag.slice(2, -1)
      : prefix + decodeURIComponent(tag.slice(handle.length));
  }
  return properties;
}
