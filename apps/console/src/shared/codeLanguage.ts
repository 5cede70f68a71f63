/** Language for syntax highlighting. */
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
