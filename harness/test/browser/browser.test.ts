import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launchBrowser } from '../../src/browser/browser.ts'

/** What a page can learn about the machine. */
const LEARNT = `({
  languages: navigator.languages,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  date: new Date(Date.UTC(2026, 2, 29, 12)).toLocaleString(),
  pixels: devicePixelRatio,
  window: [innerWidth, innerHeight],
  preferences: [
    '(prefers-color-scheme: light)',
    '(prefers-reduced-motion: reduce)',
    '(prefers-contrast: no-preference)',
    '(forced-colors: none)',
    '(hover: hover)',
    '(pointer: fine)',
  ].filter((query) => !matchMedia(query).matches),
})`

test('pages learn nothing about the machine: no language, time zone, color scheme, scale or proxy', async () => {
  const asked: string[] = []
  const proxy = http.createServer(({ url }, response) => {
    asked.push(url!)
    response.end()
  })
  proxy.on('connect', ({ url }, socket) => {
    asked.push(url!)
    socket.destroy()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const machine = {
    ...{ http_proxy: proxyUrl, https_proxy: proxyUrl, all_proxy: proxyUrl },
    ...{ LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de', TZ: 'Asia/Kathmandu' },
    ...{ GTK_THEME: 'Adwaita:dark', GDK_SCALE: '2' },
  }
  for (const [name, value] of Object.entries(machine)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())

  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const context = await browser.openWindow({ baseURL: 'http://127.0.0.1' })
  const page = await context.newPage()
  expect(await page.evaluate(LEARNT)).toEqual({
    languages: ['en-GB'],
    timeZone: 'Europe/Zurich',
    date: '29/03/2026, 14:00:00',
    pixels: 1,
    window: [1280, 860],
    preferences: [],
  })
  await expect(page.goto('http://posthorn.example/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
  expect(asked).toEqual([])
})
