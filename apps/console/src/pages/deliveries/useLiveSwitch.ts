import { useLocalStorage } from '@mantine/hooks'

/** Whether lists follow what happens; remembered in this browser. */
export function useLiveSwitch() {
  return useLocalStorage({ key: 'posthorn-live', defaultValue: true, getInitialValueInEffect: false })
}
