/** What the words of code are colored by. */
export type CodeLanguage =
  | 'json'
  | 'bash'
  | 'javascript'
  | 'python'
  | 'go'
  | 'ruby'
  | 'php'
  | 'java'
  | 'csharp'
  | 'rust'
