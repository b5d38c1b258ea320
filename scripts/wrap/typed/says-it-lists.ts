// Which tools list others.
import { nameWords } from '../../diff/name-words.ts';

const LISTING = /^(?:list|get|show|discover|describe|search|find)$/;
const LISTED = /^(?:tools?|services?|servers?|mcps?|capabilities|catalog|details?|schemas?|definitions?)$/;
const FILLER = /^(?:all|available|mcp|hub|gateway|remote|the|of|for|by|name)$/;

/** Whether the name of a tool speaks of servers. */
export const isAboutServers = (name: string): boolean =>
  nameWords(name).some((word) => /^(?:servers?|services?)$/.test(word));

/** Whether the name of a tool speaks of tools. */
export const isAboutTools = (name: string): boolean => nameWords(name).some((word) => /^tools?$/.test(word));

/** Whether a tool says by its name that it lists, and nothing else. */
export const saysItLists = (name: string): boolean => {
  const words = nameWords(name);
  return (
    words.some((word) => LISTING.test(word)) &&
    words.some((word) => LISTED.test(word)) &&
    words.every((word) => LISTING.test(word) || LISTED.test(word) || FILLER.test(word))
  );
};
