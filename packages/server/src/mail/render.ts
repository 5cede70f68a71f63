import type { Block } from './blocks.ts'
import { type Html, html } from './html.ts'
import { shown } from './shown.ts'

/** The message for programs that show only text. */
export function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(textOf).join('\n\n')}\n`
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return shown(block.text)
    case 'heading':
      return `${shown(block.text)}:`
    case 'facts':
      return block.rows.map(([label, value]) => `${label}: ${shown(value)}`).join('\n')
    case 'items':
      return block.items.map(({ title, text }) => `- ${shown(title)}\n  ${shown(text)}`).join('\n')
    case 'action':
      return `${block.label}:\n${block.url}`
    case 'aside':
      return block.url === null ? `-- \n${block.text}` : `-- \n${block.text}\n${block.url}`
  }
}

/**
 * The message as HTML. It sets no color, so that it is readable on any background, and loads nothing.
 * @param title for programs that show it as a page
 */
export function renderHtml(title: string, blocks: readonly Block[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${shown(title)}</title>
</head>
<body>
<div style="max-width: 36em; margin: 0 auto; padding: 1em; font: 16px/1.5 system-ui, sans-serif">
${blocks.map(htmlOf)}</div>
</body>
</html>
`.text
}

function htmlOf(block: Block): Html {
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${shown(block.text)}</p>\n`
    case 'heading':
      return html`<h2 style="font-size: 1em; margin: 1.5em 0 0.5em">${shown(block.text)}</h2>\n`
    case 'facts':
      return html`<table role="presentation" style="border-spacing: 0; font-size: inherit">\n${block.rows.map(row)}</table>\n`
    case 'items':
      return html`<ul style="padding-left: 1.2em">\n${block.items.map(item)}</ul>\n`
    case 'action':
      return html`<p style="margin: 1.5em 0"><a href="${block.url}" style="display: inline-block; padding: 0.5em 1em; border: 1px solid; border-radius: 4px; font-weight: bold; text-decoration: none">${block.label}</a></p>
<p style="font-size: 0.85em; overflow-wrap: anywhere">Or open ${block.url}</p>\n`
    case 'aside':
      return html`<hr style="border: 0; border-top: 1px solid; opacity: 0.3; margin: 2em 0 1em">
<p style="font-size: 0.85em; opacity: 0.8">${block.text}${link(block.url)}</p>\n`
  }
}

function row([label, value]: readonly [string, string]): Html {
  return html`<tr><td style="padding: 0.1em 1em 0.1em 0; vertical-align: top; opacity: 0.8">${label}</td><td style="overflow-wrap: anywhere">${shown(value)}</td></tr>\n`
}

function item({ title, text }: { readonly title: string; readonly text: string }): Html {
  return html`<li style="margin-bottom: 0.5em; overflow-wrap: anywhere"><b>${shown(title)}</b><br>${shown(text)}</li>\n`
}

function link(url: string | null): Html {
  return url === null ? html`` : html`<br><a href="${url}">${url}</a>`
}
