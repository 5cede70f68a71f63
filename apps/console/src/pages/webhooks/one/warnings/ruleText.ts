import type { Rules } from '../../../../api/rules.ts'
import { spanText } from '../../../../model/spanText.ts'
import type { WarnRule } from '../../../../model/webhook.ts'

/** The default rule of the service; `null`: no early warnings. */
export function rulesWarning({ early_warning: rule }: Pick<Rules, 'early_warning'>): WarnRule | null {
  if (rule === null) return null
  const { failures, share, deliveries, after_seconds: afterSeconds } = rule
  return { failures, share, deliveries, afterSeconds }
}

/** A rule in a sentence. */
export function ruleText(rule: WarnRule | null): string {
  if (rule === null || (rule.failures === null && rule.share === null))
    return 'Owners get no early warnings about it.'
  const { failures, share, deliveries, afterSeconds } = rule
  const conditions = [
    ...(failures === null
      ? []
      : [failures === 1 ? 'an attempt fails' : `${failures} attempts fail in a row`]),
    ...(share === null
      ? []
      : [`${Math.round(share * 100)}% of at least ${deliveries} deliveries within an hour fail`]),
  ]
  return `Owners are warned when ${conditions.join(', or ')}. The warning is sent no earlier than ${spanText(afterSeconds)} after the first failure.`
}
