import { SegmentedControl, useMantineColorScheme } from '@mantine/core'

const CHOICES = [
  { value: 'light', label: 'Light' },
  { value: 'auto', label: 'Auto' },
  { value: 'dark', label: 'Dark' },
] as const

/** Light, dark, or what the system says. */
export function SchemeControl() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Colors"
      data={[...CHOICES]}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as (typeof CHOICES)[number]['value'])}
    />
  )
}
