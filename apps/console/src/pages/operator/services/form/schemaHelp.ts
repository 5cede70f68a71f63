import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import {
  type JsonSchema,
  type MemberHelp,
  memberHelpAt,
  type Suggestion,
  suggestionsAt,
} from '../../../../model/profile/schemaHelp.ts'

/** Completions and hover help from the schema. @param schema `null`: not loaded yet */
export const schemaHelp = (schema: () => JsonSchema | null): Extension => [
  autocompletion({ override: [(context) => complete(schema(), context)], icons: false }),
  hoverTooltip((view, pos) => {
    const known = schema()
    const help = known === null ? null : memberHelpAt(known, view.state.doc.toString(), pos)
    if (help === null) return null
    return { pos: help.from, end: help.to, above: true, create: () => ({ dom: helpElement(help) }) }
  }),
]

function complete(schema: JsonSchema | null, context: CompletionContext): CompletionResult | null {
  const found = schema === null ? null : suggestionsAt(schema, context.state.doc.toString(), context.pos)
  // After a comma or a bracket, Enter must start a new line instead of accepting a completion.
  if (found === null || (found.from === context.pos && !context.explicit)) return null
  return { from: found.from, to: found.to, options: found.options.map(completionOf), filter: false }
}

const completionOf = ({ label, insert, description }: Suggestion): Completion => ({
  label,
  ...(description === '' ? {} : { info: description }),
  apply: (view, completion, from, to) => {
    const inside = /(\{\}|\[\]|"")$/.test(insert) ? 1 : 0
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length - inside },
      annotations: pickedCompletion.of(completion),
      userEvent: 'input.complete',
    })
  },
})

function helpElement({ name, description, values }: MemberHelp): HTMLElement {
  const element = document.createElement('div')
  element.className = 'ph-member-help'
  const strong = document.createElement('strong')
  strong.textContent = name
  const oneOf = values.length === 0 ? '' : ` One of ${values.join(', ')}.`
  element.append(strong, `: ${description}${oneOf}`)
  return element
}
