import { IconLock } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import {
  readService,
  type ServiceVersion,
  servicesQuery,
  serviceVersionQuery,
  updateService,
} from '../../../../api/services.ts'
import { profileText } from '../../../../model/profile/profileText.ts'
import { showDone } from '../../../../shared/notify.ts'
import { PageFrame } from '../../../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../../../shared/states.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'
import { SERVICES_TRAIL } from '../ServicePage.tsx'
import { ChangedMeanwhile } from './ChangedMeanwhile.tsx'
import { ProfileForm } from './ProfileForm.tsx'

/** Edits the profile of a custom service. */
export function EditServicePage() {
  const { name } = useParams({ from: '/operator/services/$name/edit' })
  // A form that starts from a stale version could not be saved.
  const read = useQuery({ ...serviceVersionQuery(name), staleTime: 0 })
  const service = read.data?.service
  const ready = read.data !== undefined && read.isFetchedAfterMount
  const trail = [
    ...SERVICES_TRAIL,
    ...(service === undefined ? [] : [{ to: `/operator/services/${name}`, label: service.title }]),
  ]
  return (
    <PageFrame
      title={service === undefined ? 'Edit a service' : `Edit ${service.title}`}
      trail={trail}
      lead="A change takes effect within 5 seconds. Pending deliveries use the new retry schedule, but keep their bodies and secrets."
    >
      {read.isError && !ready && <Failure error={read.error} retry={() => void read.refetch()} />}
      {!read.isError && !ready && <Loading />}
      {ready &&
        (read.data.service.built_in ? (
          <Empty icon={<IconLock size={24} />} title="This service is built in">
            It cannot be changed. Copy it as a new service instead.
          </Empty>
        ) : (
          <Form key={name} read={read.data} />
        ))}
    </PageFrame>
  )
}

function Form({ read }: { readonly read: ServiceVersion }) {
  const { name } = read.service
  // The page keeps refreshing, and a save must detect changes since the form was opened.
  const [began, setBegan] = useState(read)
  const etag = useRef(read.etag)
  const [theirs, setTheirs] = useState<ServiceVersion | null>(null)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: (text: string) => updateService(name, text, etag.current),
    onSuccess: async ({ title }) => {
      void queryClient.invalidateQueries({ queryKey: servicesQuery.queryKey })
      void queryClient.invalidateQueries({ queryKey: serviceVersionQuery(name).queryKey })
      showDone(
        <>
          Saved the service <Untrusted>{title}</Untrusted>
        </>,
      )
      await navigate({ to: `/operator/services/${name}`, ignoreBlocker: true })
    },
    onError: async (error) => {
      // If their version cannot be read, the rejection is shown, and saving again repeats the read.
      if (isProblem(error, 'version_mismatch')) setTheirs(await readService(name).catch(() => null))
    },
  })
  const reload = (version: ServiceVersion) => {
    etag.current = version.etag
    setTheirs(null)
    save.reset()
    setBegan(version)
  }
  const overwrite = (version: ServiceVersion, text: string) => {
    etag.current = version.etag
    setTheirs(null)
    save.mutate(text)
  }
  return (
    <ProfileForm
      // Discarding restarts from the saved version.
      key={began.etag}
      initial={profileText(began.service.profile)}
      edited={name}
      taken={[]}
      save={save}
      action="Save changes"
      cancelTo={`/operator/services/${name}`}
      notice={(text) =>
        theirs !== null && (
          <ChangedMeanwhile
            theirs={theirs}
            onReload={() => reload(theirs)}
            onOverwrite={() => overwrite(theirs, text)}
          />
        )
      }
    />
  )
}
