import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { connectionBytes, parseConnections, trafficBetween } from '../src/bench/measure/traffic.ts'

const PORTS = { services: [8080], receivers: [9000], database: 5432 }
const line = (local: string, peer: string, sent: number, received: number) =>
  `0      0      ${local} ${peer} cubic rtt:0.003/0.001 bytes_sent:${sent} bytes_acked:${sent} bytes_received:${received} segs_out:5`

test("the payload of each hop is counted at the service's ends", () => {
  const before = parseConnections(line('127.0.0.1:8080', '127.0.0.1:40000', 10, 20), PORTS)
  const listed = [
    line('127.0.0.1:8080', '127.0.0.1:40000', 110, 220),
    line('127.0.0.1:40000', '127.0.0.1:8080', 220, 110),
    line('127.0.0.1:40001', '127.0.0.1:9000', 5, 6),
    line('127.0.0.1:9000', '127.0.0.1:40001', 6, 5),
    line('[::1]:40002', '[::1]:5432', 1000, 2000),
    line('127.0.0.1:40003', '127.0.0.1:22', 7, 7),
  ].join('\n')
  expect(trafficBetween(before, parseConnections(listed, PORTS))).toEqual({
    publishers: 300,
    receivers: 11,
    database: 3000,
  })
})

test('the system counts what a connection has carried', async ({ skip }) => {
  const server = createServer((socket) => socket.once('data', () => socket.write('x'.repeat(1000))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' })
  client.write('y'.repeat(500))
  await once(client, 'data')
  const looked = connectionBytes({ services: [1], receivers: [port], database: null })
  client.destroy()
  server.close()
  if (looked === null) skip('this machine has no ss')
  expect([...looked!.values()]).toEqual([{ hop: 'receivers', bytes: 1500 }])
})
