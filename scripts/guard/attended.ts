/** Whether a person can be asked. In a headless run, a question is a refusal, and its text goes to the model. */
export const isAttended = (env: NodeJS.ProcessEnv): boolean => env.CLAUDE_CODE_ENTRYPOINT === 'cli';
