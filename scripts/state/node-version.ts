/** The oldest Node that everything here runs on, as in `engines` of package.json. */
export const OLDEST_NODE = '20.18.1';

/** Whether a version such as `v22.1.0` is at least another one. */
export const isAtLeast = (version: string, wanted: string): boolean => {
  const [own, least] = [version, wanted].map((one) => one.replace(/^v/, '').split('.').map(Number.parseFloat));
  for (const [index, part] of (least ?? []).entries()) {
    const found = own?.[index] ?? 0;
    if (found !== part) return found > part;
  }
  return true;
};

/** What is wrong with the Node that runs this, in a line that names it; undefined if it is new enough. */
export const tooOldNode = (): string | undefined =>
  isAtLeast(process.version, OLDEST_NODE)
    ? undefined
    : `Node ${OLDEST_NODE} or newer is needed, and this is Node ${process.version.replace(/^v/, '')} (${process.execPath})`;
