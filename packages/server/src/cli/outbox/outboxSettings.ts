import type { Command } from 'commander'
import type { Outbox } from '../../outbox/source.ts'
import { checked, configOf, SettingOption, withSettings } from '../flags.ts'
import { SETTINGS, SettingError } from '../settings.ts'
import { outboxSource } from '../settingValues.ts'
import { openOutbox } from './openOutbox.ts'

export interface OutboxFlags {
  readonly config?: string
  readonly source?: string
  readonly schema?: string
}

/** Gives a command the flags that name an outbox. They are shorter than those of `posthorn serve` and mean the same. */
export function withOutbox(command: Command): Command {
  const { variable } = SETTINGS.outboxSource
  command.addOption(
    new SettingOption('--source <url>', {
      meaning: 'the database with the outbox: a PostgreSQL URL, or `sqlite:` and the path of a file',
      byDefault: '',
      variable,
    }).argParser(checked('--source', outboxSource)),
  )
  return withSettings(withSchema(command), [])
}

/** Adds only the schema flag to a command. */
export const withSchema = (command: Command): Command =>
  command.addOption(
    new SettingOption('--schema <name>', {
      ...SETTINGS.outboxSchema,
      meaning: 'schema of the outbox in PostgreSQL',
      byDefault: SETTINGS.outboxSchema.fallback,
    }),
  )

/** @throws SettingError when none is named */
export async function outboxOf(flags: OutboxFlags): Promise<Outbox> {
  const { outboxSource, outboxSchema } = await outboxSettings(flags)
  if (outboxSource === null)
    throw new SettingError('--source: name the database with the outbox, or set POSTHORN_OUTBOX_SOURCE')
  return openOutbox(outboxSource, outboxSchema)
}

export const outboxSettings = ({ config, source, schema }: OutboxFlags) =>
  configOf({ config, outboxSource: source, outboxSchema: schema }, ['outboxSource', 'outboxSchema'])
