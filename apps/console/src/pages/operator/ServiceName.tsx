import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { plainText } from '../../shared/untrusted/pieces.ts'
import { useServiceTitles } from './useServiceTitles.ts'

/** Title of a workspace's service, with a link. */
export function ServiceName({ dialect }: { readonly dialect: string }) {
  const titleOf = useServiceTitles()
  return (
    <Badge
      className="ph-above"
      component={Link}
      to={`/operator/services/${dialect}`}
      variant="default"
      tt="none"
      maw="100%"
      style={{ cursor: 'pointer' }}
    >
      {plainText(titleOf(dialect))}
    </Badge>
  )
}
