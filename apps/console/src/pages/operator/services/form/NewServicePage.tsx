import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { addService, servicesQuery, serviceVersionQuery } from '../../../../api/services.ts'
import { copyOf, NEW_PROFILE } from '../../../../model/profile/profileText.ts'
import { showDone } from '../../../../shared/notify.ts'
import { PageFrame } from '../../../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../../../shared/states.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'
import { useIdempotencyKey } from '../../../../shared/useIdempotencyKey.ts'
import { SERVICES_TRAIL } from '../ServicePage.tsx'
import { ProfileForm } from './ProfileForm.tsx'

/** Adds a service, starting from a minimal profile or a copy. */
export function NewServicePage() {
  const { from } = useSearch({ from: '/operator/new-service' })
  const services = useQuery(servicesQuery)
  const source = useQuery({ ...serviceVersionQuery(from ?? ''), enabled: from !== undefined })
  const failed = [services, source].find(({ isError }) => isError)
  const ready = services.data !== undefined && (from === undefined || source.data !== undefined)
  return (
    <PageFrame
      title="Add a service"
      trail={SERVICES_TRAIL}
      lead="Write or upload a profile. Omitted fields have the values of Standard Webhooks."
    >
      {failed !== undefined && !ready && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      {!ready && failed === undefined && <Loading />}
      {ready && (
        <Form
          key={from ?? ''}
          initial={
            source.data === undefined
              ? NEW_PROFILE
              : copyOf(
                  source.data.service.profile,
                  services.data.map(({ name }) => name),
                )
          }
          taken={services.data.filter(({ built_in }) => !built_in).map(({ name }) => name)}
        />
      )}
    </PageFrame>
  )
}

function Form(props: { readonly initial: string; readonly taken: readonly string[] }) {
  const keyOf = useIdempotencyKey()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: (text: string) => addService(text, keyOf(text)),
    onSuccess: async ({ name, title }) => {
      void queryClient.invalidateQueries({ queryKey: servicesQuery.queryKey })
      showDone(
        <>
          Added the service <Untrusted>{title}</Untrusted>
        </>,
      )
      await navigate({ to: `/operator/services/${name}`, ignoreBlocker: true })
    },
  })
  return (
    <ProfileForm {...props} edited={null} save={add} action="Add service" cancelTo="/operator/services" />
  )
}
