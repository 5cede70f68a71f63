import { Notifications } from '@mantine/notifications'
import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'

export default function MessageRoom() {
  return <Notifications position="bottom-right" limit={3} />
}
