import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { checkSettings } from '../config/check.ts'
import { type SettingsRead, usable } from '../config/parseConfig.ts'
import { shownSettings, textOf } from '../config/show.ts'
import { environment } from '../flags.ts'
import { type Config, SETTINGS, SettingError } from '../settings.ts'
import { bytesOf, countOf } from '../words.ts'
import { compressed, existsError, packed, unpacked, writeNew } from './archive.ts'
import { type Member, readParts } from './bundle.ts'
import { isOrdinary, type KnownSecret, knownSecrets } from './knownSecrets.ts'
import { findLeaks } from './leaks.ts'
import { fileTail, journalTail, streamTail } from './logTail.ts'
import { machineJson, versionsJson } from './machine.ts'
import { readmeText } from './readme.ts'
import { redact } from './redact.ts'
import { servedParts } from './service.ts'
import { storeJson } from './store.ts'

interface SupportFlags {
  readonly out?: string
  readonly logFile?: string
  readonly unit?: string
  /** `false`: no log is included. */
  readonly log?: boolean
}

interface SupportSettings {
  readonly all: SettingsRead
  /** What finds the service and the store. */
  readonly reach: SettingsRead
}

/** Stands for stdin or stdout in place of a file. */
const STANDARD = '-'
const LOG = 'log.txt'
const README = 'README.txt'

/**
 * Collects what can be had, and writes it if no secret is in it.
 * @throws SettingError (rejects) with what to do; nothing is written then
 */
export async function writeSupportBundle(
  flags: SupportFlags,
  { all, reach }: SupportSettings,
): Promise<void> {
  if (flags.out === STANDARD && process.stdout.isTTY)
    throw new SettingError('--out: stdout is a terminal, and the bundle is binary. Redirect it into a file')
  const at = new Date()
  const name = `posthorn-support-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const file = flags.out === STANDARD ? null : fileFor(flags.out, `${name}.tar.gz`)
  const dataDir = all.given.get('dataDir')?.text ?? SETTINGS.dataDir.fallback
  const log = flags.logFile === undefined ? null : await givenLog(flags.logFile)
  const config = () => usable(reach)
  const members = await readParts([
    ...partsHere({ all, config, dataDir, at }),
    ...servedParts(config),
    { name: LOG, what: 'last lines of the log', read: () => readLog(flags, log) },
  ])
  const secrets = knownSecrets({ read: all, environment: environment(), dataDir })
  const { texts, contents } = redacted(members, at, secrets)
  const archive = await packed(name, texts, at)
  refuseLeaks(await unpacked(archive), secrets)
  const bytes = await compressed(archive)
  if (file === null) process.stdout.write(bytes)
  else await writeNew(file, bytes)
  const about = `${summary(contents, { file, bytes: bytes.length, secrets: secrets.length })}\n`
  ;(file === null ? process.stderr : process.stdout).write(about)
}

/** What is read without the service. */
const partsHere = (from: {
  readonly all: SettingsRead
  readonly config: () => Config
  readonly dataDir: string
  readonly at: Date
}) => [
  {
    name: 'versions.json',
    what: 'versions of Posthorn, Node.js and the system',
    read: () => versionsJson(from.at),
  },
  {
    name: 'machine.json',
    what: 'processors, memory and disk of this machine',
    read: () => machineJson(from.dataDir),
  },
  {
    name: 'settings.txt',
    what: 'output of posthorn config show and check, with the flags and environment of this command; secrets are masked',
    read: () => settingsText(from.all),
  },
  {
    name: 'store.json',
    what: 'the store, its version and its migrations',
    read: () => storeJson(from.config()),
  },
]

/** @throws Error (rejects) whose message says why there is none */
async function readLog({ log: isIncluded, unit }: SupportFlags, given: string | null): Promise<string> {
  if (isIncluded === false) throw new Error('left out by --no-log')
  return given ?? journalTail(unit ?? 'posthorn').catch(noJournal)
}

function fileFor(out: string | undefined, name: string): string {
  const place = path.resolve(out ?? '.')
  const isDirectory = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  const file = isDirectory ? path.join(place, name) : place
  // Said before anything is collected.
  if (existsSync(file)) throw existsError(file)
  return file
}

/** @throws SettingError (rejects) */
function givenLog(file: string): Promise<string> {
  const read = file === STANDARD ? streamTail(process.stdin) : fileTail(file)
  return read.catch((error: Error) => {
    throw new SettingError(`--log-file: ${error.message}`)
  })
}

function noJournal(error: Error): never {
  throw new Error(`${error.message}; name a log file with --log-file`)
}

function settingsText(all: SettingsRead): string {
  const { mistakes, warnings } = checkSettings(all)
  const found = [
    ...mistakes.map((text) => `error: ${text}\n`),
    ...warnings.map((text) => `warning: ${text}\n`),
  ].join('')
  return `${textOf(shownSettings(all))}\n${found === '' ? 'The settings are valid.\n' : found}`
}

/** Takes out what is private, and puts the list of contents before everything else. */
function redacted(members: readonly Member[], at: Date, secrets: readonly KnownSecret[]) {
  const texts = new Map<string, string>()
  const removedFromLog: string[] = []
  const contents = members.map((member) => {
    const { text, credentials } = redact(member.text)
    if (member.name === LOG) removedFromLog.push(...credentials)
    return { ...member, text, missing: member.missing === null ? null : redact(member.missing).text }
  })
  const ordinary = secrets.filter(isOrdinary).map(({ from }) => from)
  texts.set(README, readmeText({ at, members: contents, removedFromLog, ordinary }))
  for (const { name, text, missing } of contents) if (missing === null) texts.set(name, text)
  return { texts, contents }
}

/** @throws SettingError when there is a secret in a file of the finished archive */
function refuseLeaks(files: ReadonlyMap<string, string>, secrets: readonly KnownSecret[]): void {
  const leaks = findLeaks(files, secrets)
  if (leaks.length === 0) return
  const lines = leaks.map(({ member, secret }) => `support: ${member} contains ${secret}`)
  const advice = leaks.every(({ member }) => member === LOG)
    ? 'The secret is in your log: replace it. Then run the command again with --no-log'
    : 'If others may have seen the secret, replace it. If it is a common word or name, replace it with a random value'
  throw new SettingError([...lines, `support: no file was written. ${advice}`].join('\n'))
}

interface Written {
  /** `null`: stdout. */
  readonly file: string | null
  readonly bytes: number
  /** How many were searched for. */
  readonly secrets: number
}

function summary(contents: readonly Member[], { file, bytes, secrets }: Written): string {
  const width = Math.max(...contents.map(({ name }) => name.length))
  const lines = contents.map(
    ({ name, what, missing }) => `${name.padEnd(width)}  ${missing === null ? what : `MISSING: ${missing}`}`,
  )
  return [
    ...lines,
    '',
    file === null
      ? `Wrote ${bytesOf(bytes)} of a .tar.gz file to stdout.`
      : `Wrote ${file} (${bytesOf(bytes)}), which only this user can read.`,
    `The bundle was searched for ${countOf(secrets, 'secret')} of these settings and for everything that looks like a credential: it contains none.`,
    'Read it before you send it, especially log.txt and settings.txt: they contain host names and IP addresses.',
    ...(file === null ? [] : [`  tar -xzOf ${file} | less`]),
  ].join('\n')
}
