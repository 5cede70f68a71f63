import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import './headersTable.css'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** Headers of a request. @param hidden replaces values that the viewer may not see */
export function HeadersTable(props: {
  readonly headers: Readonly<Record<string, string | null>>
  readonly hidden?: ReactNode
}) {
  const { headers, hidden } = props
  return (
    <div className="ph-headers-room">
      <Table className="ph-headers" verticalSpacing={4} horizontalSpacing="xs" aria-label="Request headers">
        <Table.Tbody>
          {Object.entries(headers).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500}>
                <Untrusted mono>{name}</Untrusted>
              </Table.Th>
              <Table.Td>{value === null ? hidden : <Untrusted mono>{value}</Untrusted>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
