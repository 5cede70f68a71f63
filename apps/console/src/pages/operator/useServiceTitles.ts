import { useQuery } from '@tanstack/react-query'
import { serviceTitlesQuery } from '../../api/services.ts'
import { serviceName } from '../../model/serviceName.ts'

/** What services are called, by their names; until that is read, and of those that are gone, the name as a title. */
export function useServiceTitles(): (name: string) => string {
  const { data } = useQuery(serviceTitlesQuery)
  return (name) => data?.find((service) => service.name === name)?.title ?? serviceName(name)
}
