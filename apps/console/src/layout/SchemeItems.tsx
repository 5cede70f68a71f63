import { Menu, useMantineColorScheme } from '@mantine/core'

const CHOICES = [
  { value: 'light', label: 'Light' },
  { value: 'auto', label: 'As the system' },
  { value: 'dark', label: 'Dark' },
] as const

/** Items of a menu: light, dark, or what the system says. */
export function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>Colors</Menu.Label>
      {CHOICES.map(({ value, label }) => (
        <Menu.RadioItem
          key={value}
          value={value}
          checked={colorScheme === value}
          onChange={() => setColorScheme(value)}
        >
          {label}
        </Menu.RadioItem>
      ))}
    </>
  )
}
