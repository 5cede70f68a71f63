import { expect, it } from 'vitest'
import { webhookName } from '../src/model/webhook.ts'

it.each([
  ['', 'https://a.example.com/x', 'a.example.com/x'],
  ['  \n ', 'http://a.example.com/x', 'a.example.com/x'],
  ['Books', 'https://a.example.com/x', 'Books'],
  ['\nBooks \nlooked after by Mira', 'https://a.example.com/x', 'Books'],
  ['👩🏽'.repeat(50), 'https://a.example.com/x', `${'👩🏽'.repeat(39)}👩…`],
  ['', `https://a.example.com/${'x'.repeat(80)}`, `a.example.com/${'x'.repeat(65)}…`],
])('of %j at %s', (description, url, name) => {
  expect(webhookName({ description, url })).toBe(name)
})
