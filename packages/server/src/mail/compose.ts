import { openSignInToken } from '../engine/manage/signInTokens.ts'
import { SealError, type SecretBox } from '../engine/secretBox.ts'
import { type ClaimedNotification, MAX_RECENT_OFFS } from '../storage/rows.ts'
import { composeAlertMail } from './alertMail.ts'
import type { Mail } from './mail.ts'
import { composeSignInMail } from './signInMail.ts'
import { composeWebhookMail, type Links, sinceOf } from './webhookMail.ts'

/** Why a notification needs no message. */
export interface Unwanted {
  readonly unwanted: string
}

/** Composes the message of a notification, unless it is no longer needed. */
export function compose(
  notification: ClaimedNotification,
  secretBox: SecretBox,
  links: Links,
  now: number,
): Mail | Unwanted {
  const { kind, toEmail, expiresAt, createdAt, messageKey: key } = notification
  if (toEmail === null) return { unwanted: 'it has no recipient' }
  if (expiresAt !== null && expiresAt <= now) return { unwanted: 'it expired before it could be sent' }
  const to = { name: notification.memberName ?? '', address: toEmail }
  const mail = { key, kind, createdAt, to }
  if (kind === 'sign_in') return { ...mail, ...signIn(notification, toEmail, secretBox, links) }
  const { workspace } = notification
  if (workspace === null) return { unwanted: 'its workspace was deleted' }
  // An owner can enable a webhook that is disabled again immediately, any number of times.
  if (kind === 'webhook_off' && notification.recentOffs >= MAX_RECENT_OFFS)
    return {
      unwanted: `${MAX_RECENT_OFFS} e-mails about disabling this webhook were sent within an hour`,
    }
  if (kind !== 'webhook_off' && !notification.failingWarnings)
    return { unwanted: 'the member turned warnings off' }
  if (kind === 'webhook_alerts')
    return { ...mail, ...composeAlertMail({ ...notification, workspace }, links) }
  if (kind === 'webhook_failing') {
    if (notification.webhookFailingSince !== sinceOf(notification))
      return { unwanted: 'the webhook recovered, or was disabled or deleted' }
  }
  return { ...mail, ...composeWebhookMail({ ...notification, workspace }, links) }
}

function signIn(
  { sealed, createdAt, expiresAt }: ClaimedNotification,
  toEmail: string,
  secretBox: SecretBox,
  { publicUrl }: Links,
): Pick<Mail, 'subject' | 'blocks'> | Unwanted {
  try {
    const token = openSignInToken(secretBox, sealed!, toEmail)
    return composeSignInMail(token, { createdAt, expiresAt: expiresAt! }, publicUrl)
  } catch (error) {
    if (error instanceof SealError) return { unwanted: error.message }
    throw error
  }
}
