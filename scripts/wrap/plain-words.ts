// Messages for when the judge is not loaded, or has failed.
import { quoteName, quoteText } from '../text/quote.ts';

/** @param isLocked whether only what a person approved is sent */
export const brokenText = (error: unknown, tool: string, isLocked: boolean): string =>
  `konnichiwagwan could not check this call of ${quoteName(tool)}: it failed (${quoteText(String(error).slice(0, 300))}). ${
    isLocked ? 'Only approved contracts are called (--lock), so nothing was sent.' : 'The call was sent unchecked.'
  }`;

/** For the first call of a name that was ours and is now a tool of the server. @param tool what it stood for */
export const lostNameText = (name: string, tool: string): string =>
  `konnichiwagwan stopped this call: ${quoteName(name)} was another name for ${quoteName(tool)}, and is a tool of the server's own now. Nothing was sent. To call what it stood for, call ${quoteName(tool)}. If you mean the server's ${quoteName(name)}, read its contract, and make the call again: this is said once.`;
