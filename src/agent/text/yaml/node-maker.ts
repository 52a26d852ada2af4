import type { Literal, Token } from './scan/tokens.ts';

/** Anchor and tag in front of a node. */
export interface Properties {
  anchor?: Token & { kind: 'anchor' };
  /** The tag's full name. */
  tag?: string;
}

/** A collection that is being filled. */
export interface Filling<A extends unknown[], B> {
  add(...parts: A): void;
  done(): B;
}

/** Makes nodes of what the parser finds, each at the offset `at` of the text; what a node is, is its own affair. */
export interface NodeMaker<B> {
  /** Makes a node and stores it under its anchor. */
  node(properties: Properties, make: () => B): B;
  alias(name: string, at: number): B;
  scalar(properties: Properties, text: string, plain: boolean, at: number, literal?: Literal): B;
  /** An escape in the text at this place stands for half a character. */
  half(at: number): void;
  /** The node for a place where nothing is written. */
  empty(properties: Properties, at: number): B;
  sequence(properties: Properties, at: number): Filling<[item: B], B>;
  mapping(properties: Properties, at: number): Filling<[key: B, value: B], B>;
}
