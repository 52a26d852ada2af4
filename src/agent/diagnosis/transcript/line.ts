/** One line of a log as a program wrote it, and which program that was. */
export interface LogLine {
  /** Name of the file, as given by the user. */
  file: string;
  /** Counts from 1 in the file; of a line that was wrapped, its first piece's. */
  number: number;
  /** Without prefix, colours and line end. */
  text: string;
  /** The program that wrote it, where the prefix or the line itself tells (`kubelet`, `systemd`, `cloud-init` ...). */
  program?: string;
  /** What the prefix names: file, machine, program and process, or what somebody put in front. */
  writer: string;
  /** The writer, and where that may quote others, whose way of writing it is. Only lines of one stream continue one another. */
  stream: string;
  /** Where the prefix or klog's head tells it. */
  time?: LogTime;
}

export interface LogTime {
  /** Since the beginning of the year, months counted as 31 days. */
  seconds: number;
  /** `Z` for UTC, an offset, or empty for the machine's own; times of two zones are not compared. */
  zone: string;
}

/** A line as it stands in the file, or a part of one. */
export interface RawLine {
  number: number;
  text: string;
  /** What a record says about the writer, as a prefix that is read like journald's. */
  prefix?: string;
}

/** The lines of each stream or writer, in their order. */
export function linesBy<K extends string, T extends Record<K, string>>(
  key: K,
  lines: readonly T[],
): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const line of lines) {
    const same = found.get(line[key]);
    if (same === undefined) found.set(line[key], [line]);
    else same.push(line);
  }
  return found;
}
