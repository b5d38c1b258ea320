// Loaded before one of our programs: its timers take ten times as long, so that other processes of a busy machine are in time.
const { setTimeout: real } = globalThis;
const patient = (work, ms, ...rest) => real(work, ms * 10, ...rest);
globalThis.setTimeout = Object.defineProperties(patient, Object.getOwnPropertyDescriptors(real));
