/** How many numbers a list of the kernel's form names: `0-3,8` are five. Undefined where it is no such list. */
export function countOfList(list: string): number | undefined {
  let count = 0;
  for (const part of list.trim().split(',')) {
    const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part);
    if (!match) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first) return undefined;
    count += last - first + 1;
  }
  return count;
}
