import { defined } from '../contract/defined.ts';
import { NotAToolList, readListed } from '../contract/read.ts';
import { visible } from '../text/visible.ts';
import type { SourceAnswer } from './source.ts';

/** Reads the text of an answer as a tool list; `invalid`, with the reason, if it is not one. */
export const readAnswer = (text: string, etag: string | undefined): SourceAnswer => {
  try {
    return { status: 'answered', list: readListed(text), ...defined({ etag }) };
  } catch (error) {
    if (error instanceof NotAToolList) return { status: 'invalid', why: visible(error.message, { max: 160 }) };
    throw error;
  }
};
