import { capitalized } from './words.ts'

/** What a service is called where workspaces of several are listed side by side: its name, as a title. */
export const serviceName = (dialect: string): string => capitalized(dialect.replaceAll('-', ' '))
