# Serves a Rack application over HTTP with Ruby alone: ruby rackServer.rb <file> <port>
require "socket"
require "stringio"

def run(app)
  $app = app
end

file, port = ARGV
eval(File.read(file), TOPLEVEL_BINDING, file)
server = TCPServer.new("127.0.0.1", port.to_i)
loop do
  Thread.new(server.accept) do |socket|
    env = { "REQUEST_METHOD" => socket.gets.to_s.split(" ").first }
    while (line = socket.gets) && line != "\r\n"
      name, value = line.chomp.split(": ", 2)
      env["HTTP_#{name.upcase.tr("-", "_")}"] = value
    end
    env["rack.input"] = StringIO.new(socket.read(env["HTTP_CONTENT_LENGTH"].to_i).to_s)
    status, _headers, parts = $app.call(env)
    body = parts.join
    socket.write("HTTP/1.1 #{status} Answer\r\nContent-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}")
  rescue StandardError => e
    warn e.full_message
    socket.write("HTTP/1.1 500 Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  ensure
    socket.close
  end
end
