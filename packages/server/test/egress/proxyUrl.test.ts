import { describe, expect, test } from 'vitest'
import { parseProxyUrl } from '../../src/engine/egress/index.ts'

describe('the address of the proxy', () => {
  test('is read', () => {
    expect(parseProxyUrl('http://proxy.internal')).toEqual({
      hostname: 'proxy.internal',
      port: 80,
      authorization: null,
    })
    expect(parseProxyUrl('http://a:b%3Ac@[::1]:3128/')).toEqual({
      hostname: '::1',
      port: 3128,
      authorization: `Basic ${Buffer.from('a:b:c').toString('base64')}`,
    })
  })

  test.each([
    '',
    'proxy.internal:3128',
    'https://a:s3cret@proxy.internal',
    'socks5://a:s3cret@proxy.internal',
    'http://a:s3cret@proxy.internal/x',
    'http://a:s3cret@proxy.internal?x',
    'http://a:s3cret%ff@proxy.internal',
    'http://a:s3cret@proxy.internal:99999',
  ])('is rejected without repeating a password: %s', (text) => {
    const read = () => parseProxyUrl(text)
    expect(read).toThrow('forward proxy')
    expect(read).not.toThrow('s3cret')
  })
})
