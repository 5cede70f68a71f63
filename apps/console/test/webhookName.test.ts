import { expect, it } from 'vitest'
import { nameToType } from '../src/model/nameToType.ts'
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

it.each([
  ['', 'https://a.example.com:8443/x', 'a.example.com:8443'],
  ['', 'no url', 'no url'],
  ['Draft board', 'https://a.example.com/x', 'Draft board'],
  ['Entwürfe & Bücher (2)', 'https://a.example.com/x', 'Entwürfe & Bücher (2)'],
  ['two  spaces', 'https://a.example.com/x', 'a.example.com'],
  ['hid\u200bden', 'https://a.example.com/x', 'a.example.com'],
  ['o\u0301\u0301\u0301', 'https://a.example.com/x', 'a.example.com'],
  ['\u{1f4da} Books', 'https://a.example.com/x', 'a.example.com'],
  ['x'.repeat(41), 'https://a.example.com/x', 'a.example.com'],
])('asks for a name that can be typed for %j at %s', (description, url, name) => {
  expect(nameToType({ description, url })).toBe(name)
})
