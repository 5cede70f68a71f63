use standardwebhooks::Webhook;
use tiny_http::{Response, Server};

fn main() {
    let variable = |name: &str| std::env::var(name).expect(name);
    let webhook = Webhook::new(&variable("WEBHOOK_SECRET")).expect("the secret is one");
    let server = Server::http(format!("127.0.0.1:{}", variable("PORT"))).expect("the port is free");
    for mut request in server.incoming_requests() {
        let mut body = Vec::new();
        let mut headers = http::HeaderMap::new();
        for header in request.headers() {
            let name: http::HeaderName = header.field.as_str().as_str().parse().expect("a name");
            headers.insert(name, header.value.as_str().parse().expect("a value"));
        }
        let is_genuine = request.as_reader().read_to_end(&mut body).is_ok()
            && webhook.verify(&body, &headers).is_ok();
        let status = if is_genuine { 204 } else { 400 };
        let _ = request.respond(Response::empty(status));
    }
}
