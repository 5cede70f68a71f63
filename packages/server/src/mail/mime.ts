import type { SendMailOptions } from 'nodemailer'
import type { Address, Mail } from './mail.ts'
import { renderHtml, renderText } from './render.ts'
import { shown } from './shown.ts'

/** The message in nodemailer's form. It depends only on the row, so that a second copy is identical. */
export function toMime(mail: Mail, from: Address): SendMailOptions {
  const { key, createdAt, to, subject, blocks } = mail
  return {
    from: { ...from },
    to: { name: shown(to.name), address: to.address },
    subject,
    date: new Date(createdAt),
    messageId: `<${key}@${from.address.split('@')[1]}>`,
    // Asks for no automatic replies, such as out-of-office notes, to the sender's address.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: renderText(blocks),
    html: renderHtml(subject, blocks),
    baseBoundary: key,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
