/**
 * The name of our package on npm's registry; undefined while it is not published. We never write or print a command that
 * fetches a package by a name that is not ours: anyone could register that name and run code on our users' machines.
 */
export const PUBLISHED: string | undefined = undefined;
