/** The kind of a name, as messages call it. */
export type Kind =
  | 'filter'
  | 'test'
  | 'tag'
  | 'function'
  | 'method of strings'
  | 'method of mappings'
  | 'method of lists'
  | 'method of tuples'
  | 'method of views'
  | 'member of range'
  | 'member of numbers'
  | 'member of loop';

/** What Jinja2 3.1 has and Slipway lacks (docs/decisions/jinja.md); messages tell it from a mistake. */
const LEFT_OUT: Readonly<Record<Kind, string>> = {
  filter:
    'abs attr batch capitalize center dictsort e escape filesizeformat float forceescape format groupby items map max ' +
    'min pprint random reject rejectattr reverse round safe select selectattr slice sort striptags sum title truncate ' +
    'unique urlencode urlize wordcount wordwrap xmlattr',
  test:
    'callable divisibleby eq equalto escaped even filter float ge greaterthan gt le lessthan lower lt ' +
    'ne odd sameas test upper',
  tag: 'autoescape block call do extends filter from import include macro print with',
  function: 'cycler dict joiner lipsum namespace self',
  'method of strings':
    'capitalize casefold center count encode expandtabs find format format_map index isalnum isalpha isascii isdecimal ' +
    'isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust maketrans partition rfind rindex ' +
    'rjust rpartition splitlines swapcase title translate zfill',
  'method of mappings': 'clear copy fromkeys pop popitem setdefault update',
  'method of lists': 'append clear copy count extend index insert pop remove reverse sort',
  'method of tuples': 'count index',
  'method of views': 'isdisjoint mapping',
  'member of range': 'count index start step stop',
  'member of numbers':
    'as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag is_integer numerator real ' +
    'to_bytes',
  'member of loop': 'changed cycle depth depth0 nextitem previtem',
};

const CHOOSE = 'write {% for x in list if ... %}';
const REMAINDER = 'compare the remainder, as in x % 2 == 0';
const ONE_TEMPLATE = 'user data is a single template, so write the text here';

/** Replacements that do the same. For the others, a template has to spell out the result. */
const INSTEAD: Readonly<Record<string, string>> = {
  'filter attr': 'write value.name or value["name"]',
  'filter format': 'join texts and values with ~',
  'filter items': 'write value.items()',
  'filter map': 'iterate over the list with {% for %}',
  'filter reject': CHOOSE,
  'filter rejectattr': CHOOSE,
  'filter reverse': 'write value[::-1]',
  'filter select': CHOOSE,
  'filter selectattr': CHOOSE,
  'filter truncate': 'write value[:length]',
  'test divisibleby': REMAINDER,
  'test eq': 'write ==',
  'test equalto': 'write ==',
  'test even': REMAINDER,
  'test ge': 'write >=',
  'test gt': 'write >',
  'test le': 'write <=',
  'test lt': 'write <',
  'test ne': 'write !=',
  'test odd': REMAINDER,
  'tag extends': ONE_TEMPLATE,
  'tag from': ONE_TEMPLATE,
  'tag import': ONE_TEMPLATE,
  'tag include': ONE_TEMPLATE,
  'tag print': 'write {{ ... }}',
  'tag with': 'write {% set %}',
  'method of strings format': 'join texts and values with ~',
};

export function isUnsupported(kind: Kind, name: string): boolean {
  return LEFT_OUT[kind].split(' ').includes(name);
}

/** The sentence that refuses a name: either Slipway lacks it, or nobody has it. */
export function unknownNameMessage(kind: Kind, name: string): string {
  const [what, ...owner] = kind.split(' ');
  const shown = kind === 'tag' ? `{% ${name.slice(0, 40)} %}` : name.slice(0, 40);
  if (!isUnsupported(kind, name)) return `Jinja has no ${what} ${shown}; correct the name or remove it.`;
  const full = [what, shown, ...owner].join(' ');
  return `Slipway does not support the ${full}; ${INSTEAD[`${kind} ${name}`] ?? 'write its result'}.`;
}
