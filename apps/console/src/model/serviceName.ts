const NAMES: Readonly<Record<string, string>> = { content: 'Content', ads: 'Ads' }

/** What a service is called where workspaces of several stand side by side. */
export const serviceName = (dialect: string): string => NAMES[dialect] ?? dialect
