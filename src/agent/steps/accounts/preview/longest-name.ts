/** Of users it is utmp's field, for useradd up to 4.13. */
export const LONGEST_NAME = 32;
