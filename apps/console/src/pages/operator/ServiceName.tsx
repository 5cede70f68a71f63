import { Badge } from '@mantine/core'

const NAMES: Readonly<Record<string, string>> = { content: 'Content', ads: 'Ads' }

/** Which service a workspace belongs to. */
export const ServiceName = ({ dialect }: { readonly dialect: string }) => (
  <Badge variant="default" tt="none">
    {NAMES[dialect] ?? dialect}
  </Badge>
)
