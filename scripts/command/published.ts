/**
 * The name of our package on npm's registry; undefined while it is not published. Nothing that we write or print fetches a
 * package by a name that is not ours: whoever registers that name would run code on our users' machines.
 */
export const PUBLISHED: string | undefined = undefined;
