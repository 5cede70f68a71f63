import { useQuery } from '@tanstack/react-query'
import { serviceTitlesQuery } from '../../api/services.ts'
import { serviceName } from '../../model/serviceName.ts'

/** Titles of services by name. Unknown services are shown by their name. */
export function useServiceTitles(): (name: string) => string {
  const { data } = useQuery(serviceTitlesQuery)
  return (name) => data?.find((service) => service.name === name)?.title ?? serviceName(name)
}
