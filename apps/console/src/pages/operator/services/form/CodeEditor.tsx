import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { styleNonce } from '../../../../app/nonce.ts'
import type { PlacedRemark } from '../../../../model/profile/places.ts'
import type { JsonSchema } from '../../../../model/profile/schemaHelp.ts'
import { editorTheme } from './editorTheme.ts'
import { schemaHelp } from './schemaHelp.ts'

/** Imperative handle of the editor. */
export interface EditorHandle {
  /** Moves the cursor and the focus. */
  goTo(offset: number): void
  /** The user can undo it. */
  replaceAll(text: string): void
}

/** A JSON editor. Tab moves the focus to the next field. */
export default function CodeEditor(props: {
  readonly ref: Ref<EditorHandle>
  readonly initial: string
  readonly label: string
  /** Ids of its description. */
  readonly describedBy: string
  readonly schema: JsonSchema | null
  readonly remarks: readonly PlacedRemark[]
  readonly onChange: (text: string) => void
}) {
  const { ref, remarks } = props
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const made = new EditorView({
      parent: parent.current!,
      state: EditorState.create({ doc: latest.current.initial, extensions: extensionsOf(latest) }),
    })
    view.current = made
    return () => made.destroy()
  }, [])

  useEffect(() => {
    const { current } = view
    if (current === null) return
    const { length } = current.state.doc
    const diagnostics = remarks.map(({ from, to, kind, message }) => ({
      ...{ from: Math.min(from, length), to: Math.min(to, length) },
      ...{ severity: kind, message },
    }))
    current.dispatch(setDiagnostics(current.state, diagnostics))
  }, [remarks])

  useImperativeHandle(ref, () => ({
    goTo: (offset) => {
      const { current } = view
      if (current === null) return
      const anchor = Math.min(offset, current.state.doc.length)
      current.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      })
      current.focus()
    },
    replaceAll: (text) => view.current !== null && replaceAll(view.current, text),
  }))

  return <div ref={parent} style={{ height: '100%' }} />
}

type Latest = {
  readonly current: {
    readonly label: string
    readonly describedBy: string
    readonly schema: JsonSchema | null
    readonly remarks: readonly PlacedRemark[]
    readonly onChange: (text: string) => void
  }
}

const extensionsOf = (latest: Latest): Extension => [
  EditorView.cspNonce.of(styleNonce()),
  [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    drawSelection(),
    highlightSpecialChars(),
    history(),
    search({ top: true }),
  ],
  [json(), indentOnInput(), bracketMatching(), closeBrackets(), EditorState.tabSize.of(2)],
  schemaHelp(() => latest.current.schema),
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...defaultKeymap,
  ]),
  editorTheme,
  EditorView.contentAttributes.of(() => ({
    // The editor is focusable anyway, but accessibility checkers require this attribute.
    tabindex: '0',
    'aria-label': latest.current.label,
    'aria-describedby': latest.current.describedBy,
    'aria-invalid': String(latest.current.remarks.some(({ kind }) => kind === 'error')),
  })),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) latest.current.onChange(update.state.doc.toString())
  }),
  EditorView.domEventHandlers({
    beforeinput: typesOverSelection,
    drop: (event, view) => {
      const [file] = event.dataTransfer?.files ?? []
      if (file === undefined) return false
      event.preventDefault()
      void file.text().then((text) => replaceAll(view, text))
      return true
    },
  }),
]

/**
 * Replaces a selection while typing. Browsers would copy its style to an inline attribute, which the
 * Content-Security-Policy forbids.
 */
function typesOverSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event
  const { from, to, empty } = view.state.selection.main
  if (inputType !== 'insertText' || data === null || empty || view.composing) return false
  event.preventDefault()
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
  const handled = view.state
    .facet(EditorView.inputHandler)
    .some((handler) => handler(view, from, to, data, insert))
  if (!handled) view.dispatch(insert())
  return true
}

function replaceAll(view: EditorView, text: string): void {
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: 0 },
  })
}
