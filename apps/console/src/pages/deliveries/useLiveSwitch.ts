import { useLocalStorage } from '@mantine/hooks'

/** Whether live updates are enabled; stored in this browser. */
export function useLiveSwitch() {
  return useLocalStorage({ key: 'posthorn-live', defaultValue: true, getInitialValueInEffect: false })
}
