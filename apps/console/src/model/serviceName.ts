import { capitalized } from './words.ts'

/** Display name of a service without a title. */
export const serviceName = (dialect: string): string => capitalized(dialect.replaceAll('-', ' '))
