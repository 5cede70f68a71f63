import { Badge } from '@mantine/core'
import { serviceName } from '../../model/serviceName.ts'

/** Which service a workspace belongs to. */
export const ServiceName = ({ dialect }: { readonly dialect: string }) => (
  <Badge variant="default" tt="none">
    {serviceName(dialect)}
  </Badge>
)
