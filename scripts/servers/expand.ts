/**
 * Expands `${NAME}` and `${NAME:-default}`, as Claude Code does in its own configuration.
 * @returns the text, with variables that have no value left unchanged, and their names
 */
export const expand = (text: string, env: NodeJS.ProcessEnv): { text: string; unset: string[] } => {
  const unset: string[] = [];
  const expanded = text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) unset.push(name);
    return value ?? whole;
  });
  return { text: expanded, unset };
};
