// Features that Windows lacks. Each is for node:test's `skip`: a reason on Windows, false elsewhere.
const unlessPosix = (why: string): string | false => process.platform === 'win32' && why;

export const noShell = unlessPosix('no POSIX shell');
export const noModes = unlessPosix('no POSIX modes: access is a matter of lists there');
export const noSignals = unlessPosix('no signals');
export const noPipes = unlessPosix('no named pipes in folders');
export const noLinks = unlessPosix('links need rights there');
