import { dirname } from 'node:path';

/** The folder with the built hook files: this very bundle's. */
export const hooksFolder = (): string => dirname(__filename);
