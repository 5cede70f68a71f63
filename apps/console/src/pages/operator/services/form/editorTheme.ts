import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const FONT = 'var(--mantine-font-family-monospace)'

/** Uses CSS variables of the page, so that it works in light and dark. */
const theme = EditorView.theme({
  '&': {
    backgroundColor: 'var(--ph-card)',
    color: 'var(--mantine-color-text)',
    fontSize: '0.8125rem',
    border: '1px solid var(--ph-border)',
    borderRadius: 'var(--mantine-radius-md)',
    overflow: 'hidden',
    height: '100%',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: FONT, lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--ph-chart-blue) 28%, transparent)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-gutters': {
    backgroundColor: 'var(--ph-surface)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--ph-border)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--ph-hover)',
    outline: '1px solid var(--ph-border)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--ph-hover)',
    border: '1px solid var(--ph-border)',
    color: 'var(--mantine-color-dimmed)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--ph-card)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--ph-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    maxWidth: 'min(360px, 90vw)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '0.8125rem',
  },
  '.cm-tooltip-hover > .ph-member-help, .cm-completionInfo': { padding: '6px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: FONT },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: '#fff',
  },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--ph-bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--ph-wait)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--ph-bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px dotted var(--ph-wait)' },
  '.cm-panels': {
    backgroundColor: 'var(--ph-surface)',
    color: 'var(--mantine-color-text)',
    borderColor: 'var(--ph-border)',
  },
  '.cm-textfield': {
    backgroundColor: 'var(--ph-card)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--ph-border)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--ph-card)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--ph-border)',
  },
  '.cm-panel.cm-search [name=close]': { color: 'inherit' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--ph-wait) 30%, transparent)' },
})

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ph-chart-blue)' },
  { tag: tags.string, color: 'var(--ph-good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--ph-chart-violet)' },
])

export const editorTheme: Extension = [theme, syntaxHighlighting(highlight)]
