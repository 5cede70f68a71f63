import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { type ReadMail, readMail } from '../mail/message.ts'
import { eventually } from '../support/waiting.ts'

const WITHIN_MS = 60_000

/** The messages to look for. */
interface Sought {
  /** Address of the recipient. */
  readonly to: string
  /** Start of the subject. */
  readonly subject: string
}

/** The files that the service writes if it has no mail server. */
export class Mailbox {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** All messages so far, oldest first. */
  all({ to, subject }: Sought): ReadMail[] {
    if (!existsSync(this.#directory)) return []
    const files = readdirSync(this.#directory).filter((name) => name.endsWith('.eml'))
    return files
      .sort()
      .map((name) => readMail(readFileSync(path.join(this.#directory, name), 'utf8')))
      .filter(({ headers }) => headers.get('to')?.includes(to) && headers.get('subject')?.startsWith(subject))
  }

  /** The newest message once there are `count` of them. @throws Error when they do not arrive */
  newest(sought: Sought, count = 1): Promise<ReadMail> {
    return eventually(
      () => {
        const mails = this.all(sought)
        return mails.length >= count ? mails.at(-1)! : null
      },
      { withinMs: WITHIN_MS, what: `${count} of "${sought.subject}" to ${sought.to}` },
    )
  }
}

/** Shows a message in a tab, as a webmail program does, and follows its link. */
export async function followLinkOf(page: Page, mail: ReadMail, label: string): Promise<void> {
  await page.goto('about:blank')
  await page.setContent(mail.html)
  await page.getByRole('link', { name: label, exact: true }).click()
}
