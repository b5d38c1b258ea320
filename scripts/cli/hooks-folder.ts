import { dirname } from 'node:path';

/** The folder of the built hook files, which is that of this bundle. */
export const hooksFolder = (): string => dirname(__filename);
